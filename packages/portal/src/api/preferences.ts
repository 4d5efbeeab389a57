import { useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { chooseLanguage, type PortalLanguage } from '../i18n.ts';
import { api } from './client.ts';
import { sessionQuery } from './queries.ts';

export const THEMES = ['light', 'dark', 'auto'] as const;
export type Theme = (typeof THEMES)[number];
const KEY = ['preferences'];

/** How somebody wants the portal to be: shown at once, and kept with the account for their other browsers. */
export function usePreferences() {
  const { i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const client = useQueryClient();
  const save = useMutation({
    mutationKey: KEY,
    // One after another: what was chosen last is what is kept.
    scope: { id: 'preferences' },
    mutationFn: async (body: { theme?: Theme; language?: PortalLanguage }) =>
      (await api.patch('/manage/v1/account/preferences', { body })).data,
    // Not while the next is in flight, whose choice is shown already.
    onSuccess: (preferences) =>
      client.isMutating({ mutationKey: KEY }) > 1
        ? undefined
        : client.setQueryData(sessionQuery.queryKey, (before) => before && { ...before, preferences }),
  });
  return {
    theme: colorScheme as Theme,
    language: i18n.language as PortalLanguage,
    error: save.error,
    setTheme(theme: Theme) {
      setColorScheme(theme);
      save.mutate({ theme });
    },
    setLanguage(language: PortalLanguage) {
      void chooseLanguage(language);
      save.mutate({ language });
    },
  };
}

/** In a browser where they have not been yet, or since they changed it elsewhere. */
export function useKeptPreferences(): void {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { theme, language } = session.preferences;
  const { setColorScheme } = useMantineColorScheme();
  // When the account's changes, and only then: setColorScheme is another after each change, also of another tab, whose
  // choice would be undone here, and this one there, without end.
  const showKept = useEffectEvent(setColorScheme);
  useEffect(() => showKept(theme), [theme]);
  useEffect(() => {
    if (language !== null) void chooseLanguage(language);
  }, [language]);
}
