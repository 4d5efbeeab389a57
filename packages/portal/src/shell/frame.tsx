import { AppShell, Burger, Group, ScrollArea } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptPreferences } from '../api/preferences.ts';
import { sessionQuery } from '../api/queries.ts';
import { AccountMenu } from './account-menu.tsx';
import { ApplicationSwitch } from './application-switch.tsx';
import classes from './frame.module.css';
import { Logo } from './logo.tsx';
import { Bell } from './notices/bell.tsx';
import { PaletteButton, PaletteDialogs } from './palette/frame-parts.tsx';
import { RoomList } from './room-list.tsx';
import { SignedOut } from './signed-out.tsx';
import { LoadingState } from './states.tsx';

/** The frame of every page after sign-in. */
export function Frame() {
  const { t } = useTranslation();
  const { data: session } = useSuspenseQuery(sessionQuery);
  useKeptPreferences();
  const { clientId } = useParams({ strict: false });
  const { pathname } = useLocation();
  const [opened, { toggle, close }] = useDisclosure();

  // On a phone, the navigation covers the page: it closes once a room is chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes when the path changes
  useEffect(close, [pathname, close]);
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const isCovered = isPhone && opened && clientId !== undefined;
  const menu = useRef<HTMLButtonElement>(null);
  const closeMenu = () => {
    menu.current?.focus();
    close();
  };

  return (
    <AppShell
      onKeyDown={(event) => isCovered && event.key === 'Escape' && closeMenu()}
      header={{ height: 56 }}
      navbar={{
        width: 232,
        breakpoint: 'sm',
        collapsed: { mobile: !opened || clientId === undefined, desktop: clientId === undefined },
      }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className={classes.skip} href="#content">
        {t('skipToContent')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            {clientId !== undefined && (
              <Burger
                ref={menu}
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={t('rooms')}
                aria-expanded={opened}
              />
            )}
            <Logo />
            {clientId !== undefined && <ApplicationSwitch clientId={clientId} />}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <PaletteButton />
            {clientId !== undefined && <Bell key={clientId} clientId={clientId} />}
            <AccountMenu session={session} />
          </Group>
        </Group>
      </AppShell.Header>
      {clientId !== undefined && (
        <AppShell.Navbar
          p="sm"
          aria-label={t('rooms')}
          // Outside the screen, nothing in it takes the focus.
          inert={isPhone && !opened}
          // The room that is open already is a choice, too.
          onClick={({ target }) => isCovered && (target as Element).closest('a') && closeMenu()}
        >
          <ScrollArea type="auto">
            <RoomList clientId={clientId} />
          </ScrollArea>
        </AppShell.Navbar>
      )}
      <AppShell.Main id="content" tabIndex={-1} className={classes.main} inert={isCovered}>
        <SignedOut />
        <PaletteDialogs session={session} clientId={clientId} />
        <Suspense fallback={<LoadingState />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}
