// Runs before the first paint, so that a chosen theme does not flash. Kept out of the page for the sake of its
// content security policy.
try {
  const theme = localStorage.getItem("docket.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme it is.
}
