"""One agent conversation in one sandbox, from staging to collected output."""
