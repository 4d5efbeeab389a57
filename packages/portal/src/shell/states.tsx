import { isInnkeeperError } from '@innkeeper/client/manage';
import { Alert, Button, Center, Code, Group, List, Loader, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { type Icon, IconAlertTriangle, IconLock, IconRefresh } from '@tabler/icons-react';
import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isSignedOut } from '../api/query-client.ts';
import { fieldProblem, problemText } from './problem-text.ts';
import { SignInAgain } from './signed-out.tsx';

/** The states of a page other than its normal content. */

export function LoadingState() {
  const { t } = useTranslation();
  return (
    <Center mih={240} role="status" aria-label={t('loading')}>
      <Loader type="dots" />
    </Center>
  );
}

export function EmptyState(props: { icon: Icon; title: string; children?: ReactNode; action?: ReactNode }) {
  const { icon: Icon, title, children, action } = props;
  return (
    <Center mih={280}>
      <Stack align="center" gap="sm" maw={460} ta="center" px="md">
        <ThemeIcon variant="light" size={56} radius="xl">
          <Icon size={28} stroke={1.6} aria-hidden />
        </ThemeIcon>
        <Title order={2} size="h3">
          {title}
        </Title>
        <Text c="dimmed" component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Center>
  );
}

/** The service's error message, with a suggested fix. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const { t } = useTranslation();
  return (
    <Stack maw={640} mx="auto" py="xl" px="md">
      <Problem error={error} />
      {retry && (
        <Group>
          <Button variant="default" onClick={() => void retry()}>
            {t('tryAgain')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** For use next to what it is about, such as a form. */
export function Problem({ error }: { error: unknown }) {
  const { t } = useTranslation();
  if (error === null || error === undefined) return null;
  const known = isInnkeeperError(error) ? error : undefined;
  // The focus target after a failed save.
  const alert = { role: 'alert', tabIndex: -1, 'data-problem': true, variant: 'light' } as const;
  if (isSignedOut(error)) {
    return (
      <Alert {...alert} color="yellow" icon={<IconLock aria-hidden />} title={t('signedOut.title')}>
        {t('signedOut.kept')} <SignInAgain />
      </Alert>
    );
  }
  // The service's message often contains the first of them, or the only one.
  const others = known?.errors.filter((each) => !known.message.includes(each.message)) ?? [];
  return (
    <Alert {...alert} color="red" icon={<IconAlertTriangle aria-hidden />} title={t('problem')}>
      <Text size="sm">{problemText(error)}</Text>
      {others.length > 0 && (
        <List size="sm" mt="xs">
          {others.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`}>
              <Code>{field}</Code> {fieldProblem(message)}
            </List.Item>
          ))}
        </List>
      )}
      {known && known.status > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('problemCode', { code: known.code, requestId: known.requestId ?? '–' })}
        </Text>
      )}
    </Alert>
  );
}

export function NoPermission({ children }: { children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <EmptyState icon={IconLock} title={t('noPermission.title')}>
      {children ?? t('noPermission.text')}
    </EmptyState>
  );
}

/** For errors in rendering a page. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  if (!(error instanceof Error && MISSING_PART.test(error.message))) return <ErrorState error={error} retry={reset} />;
  return (
    <EmptyState
      icon={IconRefresh}
      title={t('outdated.title')}
      action={<Button onClick={() => location.reload()}>{t('outdated.reload')}</Button>}
    >
      {t('outdated.text')}
    </EmptyState>
  );
}

/** What Chromium, Firefox and Safari report when a part of the portal is not there any more. */
const MISSING_PART = /dynamically imported module|importing a module script/i;
