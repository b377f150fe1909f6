"""What people read: report, living comment, replies, archive."""
