// Before anything is drawn: the theme that was chosen, here or in the portal, which keeps it under the same name.
try {
  const chosen = localStorage.getItem('innkeeper-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing: as the device is.
}
