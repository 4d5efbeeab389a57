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

/** A person's preferences for the portal: applied immediately, and stored with the account for other browsers. */
export function usePreferences() {
  const { i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const client = useQueryClient();
  const save = useMutation({
    mutationKey: KEY,
    // One after another, so that the last choice is stored.
    scope: { id: 'preferences' },
    mutationFn: async (body: { theme?: Theme; language?: PortalLanguage }) =>
      (await api.patch('/manage/v1/account/preferences', { body })).data,
    // Not while another is in flight, whose choice is already shown.
    onSuccess: (preferences) =>
      client.isMutating({ mutationKey: KEY }) > 1
        ? undefined
        : client.setQueryData(sessionQuery.queryKey, (before) => before && { ...before, preferences }),
  });
  return {
    theme: colorScheme,
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

/** For a browser they have not used yet, or after they changed it elsewhere. */
export function useKeptPreferences(): void {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { theme, language } = session.preferences;
  const { setColorScheme } = useMantineColorScheme();
  // Only when the account's value changes: setColorScheme is a new function after each change, also in another tab, and
  // the two tabs would undo each other's choice endlessly.
  const showKept = useEffectEvent(setColorScheme);
  useEffect(() => showKept(theme), [theme]);
  useEffect(() => {
    if (language !== null) void chooseLanguage(language);
  }, [language]);
}
