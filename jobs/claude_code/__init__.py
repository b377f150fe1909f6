"""Sessions in the real Claude Code: started in the sandbox, heard, judged by what happened."""
