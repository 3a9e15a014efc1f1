import { effect, signal } from '@preact/signals';

const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'scriptorium-theme';
const stored = sessionStorage.getItem(STORED);

export const theme = signal<Theme>(THEMES.find((name) => name === stored) ?? 'auto');

/** Shows the theme from now on: that of the system, unless the visitor chose one for this tab. */
export function showTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    sessionStorage.setItem(STORED, theme.value);
  });
}

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
}
