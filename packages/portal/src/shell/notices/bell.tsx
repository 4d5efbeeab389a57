import { ActionIcon, Indicator, Popover, Stack, Text } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import {
  type Icon,
  IconActivity,
  IconBell,
  IconChevronRight,
  IconKey,
  IconListDetails,
  IconWebhook,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LinkNav } from '../links.tsx';
import { dateLocale, readTime } from '../moment.tsx';
import { type Notice, useNotices } from './use-notices.ts';

const ICONS: Record<Notice['kind'], Icon> = {
  secret: IconKey,
  webhook: IconWebhook,
  webhookOff: IconWebhook,
  errors: IconActivity,
  draft: IconListDetails,
};

/** What needs attention in this application. Notices already seen in this browser are not counted. */
export function Bell({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const notices = useNotices(clientId);
  const [opened, { toggle, close }] = useDisclosure();
  const [seen, setSeen] = useLocalStorage<string[]>({
    key: `innkeeper-seen-notices ${clientId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const news = notices.filter(({ id }) => !seen.includes(id)).length;
  const open = () => {
    // Only current ones: the list does not grow.
    setSeen(notices.map(({ id }) => id));
    toggle();
  };
  return (
    <Indicator disabled={news === 0} label={news} size={18} color="red" offset={5}>
      <Popover opened={opened} onChange={close} position="bottom-end" width={340} shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon
            variant="default"
            size="lg"
            radius="xl"
            aria-label={news === 0 ? t('notices.title') : t('notices.news', { count: news })}
            onClick={open}
          >
            <IconBell size={18} aria-hidden />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown p="xs" aria-label={t('notices.title')}>
          {notices.length === 0 ? (
            <Text size="sm" c="dimmed" p="sm">
              {t('notices.none')}
            </Text>
          ) : (
            <Stack gap={2}>
              {notices.map((notice) => (
                <Entry key={notice.id} clientId={clientId} notice={notice} onClick={close} />
              ))}
            </Stack>
          )}
        </Popover.Dropdown>
      </Popover>
    </Indicator>
  );
}

function Entry({ clientId, notice, onClick }: { clientId: string; notice: Notice; onClick(): void }) {
  const Icon = ICONS[notice.kind];
  const [title, text] = useWords(notice);
  return (
    <LinkNav
      to={notice.to}
      params={{ clientId }}
      {...(notice.kind === 'errors' && { search: { status: 'failed' } as never })}
      label={title}
      description={text}
      leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
      rightSection={<IconChevronRight size={14} aria-hidden />}
      onClick={onClick}
    />
  );
}

function useWords(notice: Notice): [title: string, text: string] {
  const { t, i18n } = useTranslation();
  switch (notice.kind) {
    case 'secret': {
      const format = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' });
      return [t('notices.secret'), t('notices.secretText', { at: format.format(readTime(notice.at)) })];
    }
    case 'webhook':
      return [t('notices.webhook'), notice.name];
    case 'webhookOff':
      return [t('notices.webhookOff'), notice.name];
    case 'errors':
      return [t('notices.errors'), t('notices.errorsText', { count: notice.count, share: notice.share })];
    case 'draft':
      return [t('notices.draft'), t('notices.draftText', { who: notice.who, count: notice.count })];
  }
}
