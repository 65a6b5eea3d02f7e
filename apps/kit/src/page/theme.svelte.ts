const names = ['auto', 'light', 'dark'] as const;
type ThemeName = (typeof names)[number];

const key = 'theme';

function remembered(): ThemeName {
  try {
    const name = localStorage.getItem(key);
    return names.find((each) => each === name) ?? 'auto';
  } catch {
    // Storage can be switched off: then nothing is remembered.
    return 'auto';
  }
}

/** Which theme the page has: that of the system, or a chosen one. */
export const theme = $state<{ name: ThemeName }>({ name: remembered() });

export function nextTheme(): void {
  theme.name = names[(names.indexOf(theme.name) + 1) % names.length] as ThemeName;
  applyTheme();
  try {
    localStorage.setItem(key, theme.name);
  } catch {
    // As above.
  }
}

export function applyTheme(): void {
  if (theme.name === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.name;
}
