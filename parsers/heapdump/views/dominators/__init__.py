"""The view Dominators: objects by the object that retains them, or merged by class, package or loader."""
