"""What is kept in Redis beside the queues: the ledger and the day's budget."""
