import { Paper, Progress, Text, ThemeIcon, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { loadWhenReachable } from '../../api/connection.ts';
import { LinkAnchor } from '../../shell/links.tsx';
import classes from './overview.module.css';

/** Seen once in the life of an application: loaded then. */
const AllDone = lazy(loadWhenReachable(async () => ({ default: (await import('./all-done.tsx')).AllDone })));

const ROOMS = {
  languages: '/applications/$clientId/catalog',
  options: '/applications/$clientId/catalog',
  publish: '/applications/$clientId/catalog',
  translations: '/applications/$clientId/translations',
  user: '/applications/$clientId/connect',
  token: '/applications/$clientId/connect',
  selection: '/applications/$clientId/connect',
} as const;

/** Applications seen unfinished in this tab: only there is completion worth a message. */
const begun = new Set<string>();

type Step = { step: keyof typeof ROOMS; done: boolean };

/** The next steps, until all are done; then a note that they are. */
export function Checklist({ clientId, steps }: { clientId: string; steps: Step[] }) {
  const { t } = useTranslation('overview');
  const done = steps.filter((each) => each.done).length;
  const isDone = done === steps.length;
  const [isClosed, close] = useDisclosure();
  useEffect(() => {
    if (!isDone) begun.add(clientId);
  }, [isDone, clientId]);
  if (isDone) {
    if (!begun.has(clientId) || isClosed) return null;
    return (
      <Suspense>
        <AllDone
          clientId={clientId}
          onClose={() => {
            begun.delete(clientId);
            close.open();
          }}
        />
      </Suspense>
    );
  }
  const next = steps.find((each) => !each.done)?.step;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="next-steps">
      <Title order={2} size="h4" id="next-steps">
        {t('next.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('next.done', { done, count: steps.length })}
      </Text>
      <Progress
        value={(done / steps.length) * 100}
        mb="md"
        aria-label={t('next.done', { done, count: steps.length })}
      />
      <ol className={classes.steps}>
        {steps.map(({ step, done }) => (
          <li key={step} className={classes.step}>
            <ThemeIcon size={24} radius="xl" variant={done ? 'filled' : 'light'} color={done ? 'inn' : 'gray'}>
              {done ? (
                <IconCheck size={14} aria-label={t('next.isDone')} />
              ) : (
                <IconCircleDashed size={14} aria-label={t('next.isOpen')} />
              )}
            </ThemeIcon>
            <div>
              <Text fw={step === next ? 600 : 500} {...(done && { c: 'dimmed', td: 'line-through' })}>
                {t(`next.${step}.title`)}
              </Text>
              {step === next && (
                <Text size="sm" c="dimmed">
                  {t(`next.${step}.text`)}{' '}
                  <LinkAnchor to={ROOMS[step]} params={{ clientId }} underline="always">
                    {t(`next.${step}.link`)}
                  </LinkAnchor>
                </Text>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Paper>
  );
}
