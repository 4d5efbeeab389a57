// Applies the chosen theme before the first paint. The portal stores it under the same name.
try {
  const chosen = localStorage.getItem('innkeeper-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // The browser stores nothing: use the device's theme.
}
