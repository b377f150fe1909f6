"""The judge over time: its series, what people say of its verdicts, how far both agree."""
