import { ActionIcon, Menu } from '@mantine/core';
import {
  IconBook,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
  IconTimeline,
  IconUser,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { SERVICE_URL } from '../api/client.ts';
import { type Theme, usePreferences } from '../api/preferences.ts';
import { PORTAL_LANGUAGES, type PortalLanguage } from '../i18n.ts';
import { LinkMenuItem } from './links.tsx';
import { useSignOut } from './use-sign-out.ts';

const THEMES = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop } as const;

type Session = { email: string; administrator: boolean; signOutUrl: string | null };

export function AccountMenu({ session }: { session: Session }) {
  const { email, administrator } = session;
  const { t } = useTranslation();
  const { theme, setTheme, language, setLanguage } = usePreferences();
  const signOut = useSignOut(session);
  return (
    <Menu position="bottom-end" width={240} closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" radius="xl" aria-label={t('account', { email })}>
          <IconUser size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{email}</Menu.Label>
        <LinkMenuItem to="/account" closeMenuOnClick leftSection={<IconUser size={16} aria-hidden />}>
          {t('accountSettings')}
        </LinkMenuItem>
        {administrator && (
          <LinkMenuItem to="/audit" closeMenuOnClick leftSection={<IconTimeline size={16} aria-hidden />}>
            {t('installationAudit')}
          </LinkMenuItem>
        )}
        <Menu.Item component="a" href={`${SERVICE_URL}/guide/`} leftSection={<IconBook size={16} aria-hidden />}>
          {t('guide')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('theme.title')}</Menu.Label>
        <Menu.RadioGroup value={theme} onChange={(name) => setTheme(name as Theme)}>
          {Object.entries(THEMES).map(([name, Icon]) => (
            <Menu.RadioItem key={name} value={name} rightSection={<Icon size={16} aria-hidden />}>
              {t(`theme.${name as keyof typeof THEMES}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('language')}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(tag) => setLanguage(tag as PortalLanguage)}>
          {Object.entries(PORTAL_LANGUAGES).map(([tag, name]) => (
            <Menu.RadioItem key={tag} value={tag} lang={tag}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut()}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
