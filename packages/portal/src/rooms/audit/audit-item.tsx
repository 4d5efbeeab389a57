import { Code, Table, Text, ThemeIcon } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { spellDuration } from '../../shell/duration.ts';
import { LinkAnchor } from '../../shell/links.tsx';
import { dateLocale, Moment, readTime } from '../../shell/moment.tsx';
import classes from './audit.module.css';
import { iconOf, isSevere, textOf } from './audit-looks.ts';
import type { AuditEntry } from './queries.ts';

/** Settings that have a default. */
const SETTINGS = [
  'specialTokenTtl',
  'accessTokenTtl',
  'deleteNeedsCredentials',
  'saveByUserUid',
  'allowedOrigins',
  'rateLimit',
  'addressRateLimit',
  'historyKept',
  'eventsKept',
  'accentColor',
  'logo',
  'tokenAlgorithm',
  'tokenClaims',
] as const;
const FIELDS = [
  'name',
  ...SETTINGS,
  'previousExpiresAt',
  'role',
  'access',
  'expiresAt',
  'tokenId',
  'revision',
  'changes',
  'baseRevision',
  'edits',
  'createdBy',
  'kind',
  'version',
  'places',
  'lines',
  'users',
  'created',
  'adopted',
  'updated',
  'profilesOnly',
  'filters',
  'languages',
  'texts',
  'reviewed',
  'saved',
  'unset',
  'selections',
  'changed',
  'url',
  'types',
  'description',
  'maxPerSecond',
  'enabled',
  'webhookId',
  'since',
] as const;

/** One entry: what was done, by whom, when, and the values before and after. */
export function AuditItem({ clientId, entry }: { clientId: string | null; entry: AuditEntry }) {
  const { t } = useTranslation('audit');
  const { action, actor, at, subject, userUid } = entry;
  const Icon = iconOf(action);
  const isRevision = action === 'catalog.published';
  const isDraft = action === 'catalog.draftEdited' || action === 'catalog.draftDiscarded';
  return (
    <li className={classes.item}>
      <ThemeIcon
        variant="light"
        color={isSevere(action) ? 'red' : 'inn'}
        size={32}
        radius="xl"
        className={classes.icon ?? ''}
      >
        <Icon size={17} stroke={1.7} aria-hidden />
      </ThemeIcon>
      <div className={classes.body}>
        <Text fw={600}>
          {t(`action.${textOf(action)}`)}
          {isRevision && clientId !== null ? (
            <>
              {': '}
              <LinkAnchor to="/applications/$clientId/revisions" params={{ clientId }} underline="always">
                {t('revision', { revision: subject })}
              </LinkAnchor>
            </>
          ) : (
            subject !== '' && `: ${isDraft ? t('basedOn', { revision: subject }) : subject}`
          )}
          {userUid !== null && clientId !== null && (
            <>
              {': '}
              <LinkAnchor to="/applications/$clientId/users/$userUid" params={{ clientId, userUid }} underline="always">
                {userUid}
              </LinkAnchor>
            </>
          )}
        </Text>
        <Text size="sm" c="dimmed">
          {t('by', { actor: nameOf(actor) })} · <Moment at={at} />
        </Text>
        <Difference before={entry.before} after={entry.after} />
      </div>
    </li>
  );

  function nameOf(name: string): string {
    const [, kind, rest, id] = /^(token|cli):(.*?)(?: \(([0-9a-f]{12})\))?$/s.exec(name) ?? [];
    if (kind === 'token') return id ? t('actor.tokenOf', { name: rest, id }) : t('actor.token', { name: rest });
    if (kind === 'cli') return t('actor.cli', { name: rest });
    return name === 'cli' ? t('actor.commandLine') : name;
  }
}

/** Member by member; one that the portal has no text for is shown by its API name. */
function Difference({ before, after }: { before: unknown; after: unknown }) {
  const { t } = useTranslation('audit');
  const [old, now] = [membersOf(before), membersOf(after)];
  const wordFor = (name: string) => {
    const known = FIELDS.find((each) => each === name);
    return known ? t(`field.${known}`) : name;
  };
  const missing = (name: string) => (SETTINGS.some((each) => each === name) ? t('notSet') : '–');
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])];
  if (names.length === 0) return null;
  return (
    <div className={classes.scroll}>
      <Table mt="xs" withTableBorder className={classes.difference ?? ''}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('column.what')}</Table.Th>
            {old && <Table.Th>{t('column.before')}</Table.Th>}
            {now && <Table.Th>{t('column.after')}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.map((name) => (
            <Table.Tr key={name}>
              <Table.Td>{wordFor(name)}</Table.Td>
              {old && (
                <Table.Td>
                  <Value name={name} value={old[name]} missing={missing(name)} isOld={now !== null} />
                </Table.Td>
              )}
              {now && (
                <Table.Td>
                  <Value name={name} value={now[name]} missing={missing(name)} isOld={false} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Members that are times. */
const TIMES = ['previousExpiresAt', 'expiresAt', 'since'];

function Value({ name, value, missing, isOld }: { name: string; value: unknown; missing: string; isOld: boolean }) {
  const { t, i18n } = useTranslation();
  if (value === null || value === undefined) {
    return (
      <Text span size="sm" c="dimmed" className={classes.missing ?? ''}>
        {missing}
      </Text>
    );
  }
  return <Code className={isOld ? (classes.old ?? '') : (classes.new ?? '')}>{inWords()}</Code>;

  function inWords(): string {
    const { language } = i18n;
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
    if (typeof value === 'number')
      return name.endsWith('Ttl') ? spellDuration(value, language) : value.toLocaleString(language);
    if (typeof value === 'string' && TIMES.includes(name)) {
      const format = new Intl.DateTimeFormat(dateLocale(language), { dateStyle: 'medium', timeStyle: 'medium' });
      return format.format(readTime(value));
    }
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

function membersOf(value: unknown): Record<string, unknown> | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
