import { Button, Menu, ScrollArea, Text } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { allApplicationsQuery } from '../api/queries.ts';
import { LinkMenuItem } from './links.tsx';
import { roomAt } from './rooms.ts';

export function ApplicationSwitch({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const { data: applications } = useQuery(allApplicationsQuery);
  const room = roomAt(useLocation().pathname);
  const current = applications?.find((each) => each.clientId === clientId);
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          size="compact-md"
          fw={500}
          maw={220}
          rightSection={<IconSelector size={16} aria-hidden />}
          aria-label={t('switchApplication', { name: current?.name ?? clientId })}
        >
          <Text truncate inherit>
            {current?.name ?? clientId}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ScrollArea.Autosize mah={320} type="auto">
          {applications?.map((each) => (
            <LinkMenuItem
              key={each.clientId}
              // Stays in the same room.
              to={room}
              params={{ clientId: each.clientId }}
              rightSection={each.clientId === clientId ? <IconCheck size={16} aria-hidden /> : undefined}
            >
              {each.name}
            </LinkMenuItem>
          ))}
        </ScrollArea.Autosize>
        <Menu.Divider />
        <LinkMenuItem to="/">{t('allApplications')}</LinkMenuItem>
      </Menu.Dropdown>
    </Menu>
  );
}
