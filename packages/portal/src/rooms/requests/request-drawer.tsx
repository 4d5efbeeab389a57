import { Alert, Anchor, Code, Drawer, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconTerminal2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SERVICE_URL } from '../../api/client.ts';
import { Copyable, CopyButton } from '../../shell/copy.tsx';
import { LinkAnchor } from '../../shell/links.tsx';
import { dateLocale, readTime } from '../../shell/moment.tsx';
import { fieldProblem, problemText } from '../../shell/problem-text.ts';
import { ErrorState, LoadingState } from '../../shell/states.tsx';
import { TextBlock } from '../../shell/text-block.tsx';
import { requestQuery } from './queries.ts';
import { Status } from './request-table.tsx';
import classes from './requests.module.css';
import { toCurl } from './to-curl.ts';

export function RequestDrawer(props: { clientId: string; requestUid: string | undefined; onClose(): void }) {
  const { clientId, requestUid, onClose } = props;
  const { t } = useTranslation('requests');
  return (
    <Drawer
      opened={requestUid !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={t('detail.title')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      {requestUid !== undefined && <Details clientId={clientId} requestUid={requestUid} />}
    </Drawer>
  );
}

function Details({ clientId, requestUid }: { clientId: string; requestUid: string }) {
  const { t, i18n } = useTranslation('requests');
  const { data, error, isPending } = useQuery(requestQuery(clientId, requestUid));
  if (isPending) return <LoadingState />;
  if (error) return <ErrorState error={error} />;
  const at = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'medium' }).format(
    readTime(data.at),
  );
  const facts: [name: string, value: ReactNode][] = [
    [t('column.status'), <Status key="status" status={data.status} code={data.code} />],
    [t('column.time'), at],
    [t('column.duration'), `${new Intl.NumberFormat(i18n.language).format(data.milliseconds)} ms`],
    [
      t('detail.user'),
      data.userUid === null ? (
        '–'
      ) : (
        <LinkAnchor
          key="user"
          size="sm"
          to="/applications/$clientId/users/$userUid"
          params={{ clientId, userUid: data.userUid }}
        >
          {data.userUid}
        </LinkAnchor>
      ),
    ],
    [t('detail.credentials'), t(`detail.${data.credentials}`)],
    [t('detail.requestId'), <Copyable key="id" value={data.requestId} />],
    [t('detail.address'), data.address || '–'],
    [t('detail.userAgent'), data.userAgent || '–'],
  ];
  return (
    <Stack>
      <Text component="div">
        <Text span fw={650}>
          {data.method}
        </Text>{' '}
        <Text span ff="monospace">
          {data.path}
        </Text>
      </Text>
      {data.code !== null && <Explained code={data.code} response={data.answer} />}
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          // Names and values of one list, side by side.
          <FactRow key={name} name={name}>
            {value}
          </FactRow>
        ))}
      </dl>
      <Group>
        <CopyButton value={toCurl(SERVICE_URL, clientId, data)} label={t('detail.curl')} icon={IconTerminal2} />
        <Text size="xs" c="dimmed">
          {t('detail.curlHint')}
        </Text>
      </Group>
      <TextBlock
        title={t('detail.request')}
        text={data.request}
        empty={t('detail.noBody')}
        copyLabel={t('detail.copyBody')}
      />
      <TextBlock
        title={t('detail.response')}
        text={data.answer}
        empty={t('detail.noResponse')}
        copyLabel={t('detail.copyBody')}
      />
      {data.userUid === null && (
        <Text size="xs" c="dimmed">
          {t('detail.bare')}
        </Text>
      )}
    </Stack>
  );
}

type Refusal = { message?: unknown; errors?: { field?: unknown; message?: unknown; allowed?: unknown }[] };

/** Why it failed, from the service's message, with a link to the guide. */
function Explained({ code, response }: { code: string; response: string | null }) {
  const { t } = useTranslation('requests');
  let refusal: Refusal = {};
  try {
    refusal = JSON.parse(response ?? '{}') as Refusal;
  } catch {
    // It was truncated: only the code is useful.
  }
  const { errors } = refusal;
  const allowed = Array.isArray(errors) && errors.length === 1 ? errors[0]?.allowed : undefined;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t('detail.why', { code })}>
      {typeof refusal.message === 'string' && <Text size="sm">{problemText(refusal)}</Text>}
      {Array.isArray(allowed) && (
        <Text size="sm" lineClamp={4}>
          {t('detail.allowed', { values: allowed.join(', ') })}
        </Text>
      )}
      {/* If there is a single error, the message already says it. */}
      {Array.isArray(errors) &&
        errors.length > 1 &&
        errors.map((each) => (
          <Text size="sm" key={`${each.field} ${each.message}`}>
            <Code>{String(each.field)}</Code> {fieldProblem(String(each.message))}
          </Text>
        ))}
      <Anchor
        size="sm"
        c="inherit"
        underline="always"
        href={`${SERVICE_URL}/guide/errors#:~:text=${code}`}
        target="_blank"
        rel="noreferrer"
      >
        {t('detail.whatToDo')}
      </Anchor>
    </Alert>
  );
}

function FactRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
