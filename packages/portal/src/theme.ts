import { createTheme, localStorageColorSchemeManager, type MantineColorsTuple } from '@mantine/core';
import i18next from 'i18next';

const inn: MantineColorsTuple = [
  '#e8f7f3',
  '#d3ece5',
  '#a6d8ca',
  '#76c4ae',
  '#4fb296',
  '#36a787',
  '#25967a',
  '#14785f',
  '#0f5c4d',
  '#07463a',
];

export const theme = createTheme({
  colors: { inn },
  primaryColor: 'inn',
  // The same in both themes, so that the text colour on it is the same too.
  primaryShade: 7,
  autoContrast: true,
  // The luminance at which black and white text have the same contrast.
  luminanceThreshold: 0.179,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  components: {
    // Mantine leaves it without a name, in notifications and dialogs.
    CloseButton: { defaultProps: () => ({ 'aria-label': i18next.t('close') }) },
    // Mantine's own toggle is not in the tab order, and without a name.
    PasswordInput: {
      defaultProps: () => ({
        visibilityToggleButtonProps: { 'aria-label': i18next.t('newPassword.show'), tabIndex: 0 },
      }),
    },
    // Enter chooses the first match of what was typed.
    Select: { defaultProps: { selectFirstOptionOnChange: true } },
    MultiSelect: { defaultProps: { searchable: true, selectFirstOptionOnChange: true } },
    // Mantine shows them to a mouse only.
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true } } },
    // Mantine's own colour is too bright in the dark theme for links on it.
    Table: {
      defaultProps: { highlightOnHoverColor: 'light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))' },
    },
  },
});

export const colorSchemeStore = localStorageColorSchemeManager({ key: 'innkeeper-theme' });
