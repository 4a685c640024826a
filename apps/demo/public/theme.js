// Before anything is drawn: what was chosen is the first that is seen.
try {
  const { theme } = JSON.parse(localStorage.getItem('vitrine-demo:settings') ?? '{}');
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
    document.querySelector('meta[name="color-scheme"]').content = theme;
  }
} catch {
  // Nothing was chosen, or it cannot be read.
}
