import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { SERVICE_URL } from '../../api/client.ts';
import { THEMES, usePreferences } from '../../api/preferences.ts';
import { PORTAL_LANGUAGES, type PortalLanguage } from '../../i18n.ts';
import { copyText } from '../copy-text.ts';
import { useExactTimes } from '../moment.tsx';
import { useSignOut } from '../use-sign-out.ts';
import type { Command } from './match.ts';
import { shortcuts } from './open.ts';

type Session = { administrator: boolean; signOutUrl: string | null };

/** Actions available everywhere. */
export function useActions(session: Session, clientId: string | undefined): Command[] {
  const { t } = useTranslation(['palette', 'shell']);
  const navigate = useNavigate();
  const can = useCan(clientId ?? '');
  const { theme, setTheme, language, setLanguage } = usePreferences();
  const [isExact, setExact] = useExactTimes();
  const signOut = useSignOut(session);
  const words = t('words.action');
  // The selected item stays selected, and what was typed there stays.
  const openInCatalog = (of: string, open: 'publish' | 'add-group') =>
    navigate({
      to: '/applications/$clientId/catalog',
      params: { clientId: of },
      search: ({ item }) => ({ ...(item !== undefined && { item }), open }),
      resetScroll: false,
    });
  const action = (id: string, label: string, run: () => unknown): Command => ({ id, label, words, run });
  return [
    ...(clientId !== undefined && can('texts')
      ? [action('publish', t('action.publish'), () => openInCatalog(clientId, 'publish'))]
      : []),
    ...(clientId !== undefined && can('write')
      ? [action('add-group', t('action.addGroup'), () => openInCatalog(clientId, 'add-group'))]
      : []),
    ...(clientId === undefined
      ? []
      : [
          action('copy-client-id', t('action.copyClientId'), async () => {
            const isDone = await copyText(clientId);
            const message = isDone ? t('copied', { ns: 'shell' }) : t('copyFailed', { ns: 'shell' });
            notifications.show({ message, ...(!isDone && { color: 'red' }) });
          }),
        ]),
    action('shortcuts', t('shortcuts.title'), () => shortcuts.set(true)),
    action('account', t('accountSettings', { ns: 'shell' }), () => navigate({ to: '/account' })),
    ...(session.administrator
      ? [action('audit', t('installationAudit', { ns: 'shell' }), () => navigate({ to: '/audit' }))]
      : []),
    action('guide', t('guide', { ns: 'shell' }), () => location.assign(`${SERVICE_URL}/guide/`)),
    action('explorer', t('action.explorer'), () => location.assign(`${SERVICE_URL}/docs`)),
    ...THEMES.filter((name) => name !== theme).map((name) =>
      action(`theme-${name}`, `${t('theme.title', { ns: 'shell' })}: ${t(`theme.${name}`, { ns: 'shell' })}`, () =>
        setTheme(name),
      ),
    ),
    ...(Object.keys(PORTAL_LANGUAGES) as PortalLanguage[])
      .filter((tag) => tag !== language)
      .map((tag) =>
        action(`language-${tag}`, `${t('language', { ns: 'shell' })}: ${PORTAL_LANGUAGES[tag]}`, () =>
          setLanguage(tag),
        ),
      ),
    action('times', t(isExact ? 'action.relativeTimes' : 'action.exactTimes'), () => setExact(!isExact)),
    action('sign-out', t('signOut', { ns: 'shell' }), signOut),
  ];
}
