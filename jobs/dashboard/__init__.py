"""What the pages, the charts and the API show, worked out from the record of finished runs."""
