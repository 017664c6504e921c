"""What can be asked of agents at work: their threads, what these keep and schedule, and you as their model."""
