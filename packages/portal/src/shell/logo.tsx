import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from './links.tsx';

export function Logo() {
  const { t } = useTranslation();
  return (
    <LinkAnchor to="/" underline="never" c="inherit" aria-label={`Innkeeper: ${t('toApplications')}`}>
      <Group gap={8} wrap="nowrap">
        <img src="./icon.svg" alt="" width={26} height={26} />
        <Text fw={700} visibleFrom="sm">
          Innkeeper
        </Text>
      </Group>
    </LinkAnchor>
  );
}
