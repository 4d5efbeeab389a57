import '@mantine/core/styles/Accordion.css';
import { Accordion, Badge, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import classes from './connect.module.css';

const PATH = '/manage/v1/applications/{clientId}/try';
const KNOWN = [
  'createUser',
  'getAccessToken',
  'listOptionGroups',
  'listOptionKeys',
  'saveUserOption',
  'listUserOptions',
  'deleteUser',
] as const;

/** Runs the whole flow with a temporary user, and shows each request and response. */
export function TryIt({ clientId, mayRun }: { clientId: string; mayRun: boolean }) {
  const { t } = useTranslation('connect');
  const running = useMutation({ mutationFn: async () => (await api.post(PATH, { path: { clientId } })).data });
  const runOnce = useMutateOnce(running);
  return (
    <Card withBorder component="section" padding="lg">
      <Title order={2} size="h4">
        {t('try.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {t('try.text')}
      </Text>
      <Stack>
        <Group>
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={running.isPending}
            disabled={!mayRun}
            onClick={() => runOnce()}
          >
            {running.data ? t('try.again') : t('try.action')}
          </Button>
          {!mayRun && (
            <Text size="sm" c="dimmed">
              {t('try.notAllowed')}
            </Text>
          )}
        </Group>
        <Problem error={running.error} />
        <div role="status">
          {running.data &&
            (running.data.complete ? (
              <Group gap="xs">
                <IconCheck size={18} aria-hidden color="var(--mantine-color-teal-6)" />
                <Text size="sm" fw={600}>
                  {t('try.complete', { count: running.data.steps.length })}
                </Text>
              </Group>
            ) : (
              <Text size="sm" fw={600} c="red">
                {t('try.stopped')}
              </Text>
            ))}
        </div>
        {running.data && <Steps steps={running.data.steps} />}
      </Stack>
    </Card>
  );
}

type Step = {
  operationId: string;
  method: string;
  path: string;
  headers: unknown;
  body?: unknown;
  status: number;
  durationMs: number;
  answer?: unknown;
};

function Steps({ steps }: { steps: readonly Step[] }) {
  const { t, i18n } = useTranslation('connect');
  const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
  const failed = steps.findIndex(({ status }) => status >= 400);
  return (
    <Accordion variant="separated" multiple defaultValue={failed < 0 ? [] : [String(failed)]}>
      {steps.map((step, place) => {
        const known = KNOWN.find((name) => name === step.operationId);
        return (
          <Accordion.Item key={step.operationId} value={String(place)}>
            <Accordion.Control>
              <Group gap="xs" wrap="nowrap" align="flex-start">
                <Badge variant="filled" color={step.status < 400 ? 'inn' : 'red'} radius="sm">
                  {step.status}
                </Badge>
                <div className={classes.path}>
                  <Text size="sm" fw={600}>
                    {known ? t(`try.steps.${known}`) : step.operationId}
                  </Text>
                  <Text size="xs" ff="monospace" c="dimmed" truncate>
                    {step.method} {step.path}
                  </Text>
                </div>
                <Text size="xs" c="dimmed" visibleFrom="xs">
                  {number.format(step.durationMs)} ms
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="xs">
                <Part name={t('try.request')} text={showRequest(step)} />
                <Part
                  name={t('try.response', { status: step.status })}
                  text={step.answer === null || step.answer === undefined ? t('try.noBody') : pretty(step.answer)}
                />
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        );
      })}
    </Accordion>
  );
}

function Part({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {name}
      </Text>
      <Code block className={classes.json} tabIndex={0} role="region" aria-label={name}>
        {text}
      </Code>
    </div>
  );
}

function showRequest({ method, path, headers, body }: Step): string {
  const lines = Object.entries(headers as Record<string, string>).map(([name, value]) => `${name}: ${value}`);
  const end = body === null || body === undefined ? [] : ['', pretty(body)];
  return [`${method} ${path}`, ...lines, ...end].join('\n');
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
