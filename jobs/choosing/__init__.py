"""Which eval case is measured next when nobody has asked for one."""
