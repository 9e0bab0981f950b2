"""Our own games: for each an assembly file, and a module with its description and a scripted player."""
