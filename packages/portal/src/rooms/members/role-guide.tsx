import { Card, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ROLES } from './role-select.tsx';

/** What each role may see and do, lowest first. */
export function RoleGuide() {
  const { t } = useTranslation('members');
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {t('rolesTitle')}
      </Title>
      <Card withBorder padding="md">
        <Stack gap="xs" component="dl" m={0}>
          {ROLES.map((role) => (
            <div key={role}>
              <Text component="dt" size="sm" fw={600}>
                {t(`role.${role}`)}
              </Text>
              <Text component="dd" size="sm" c="dimmed" m={0}>
                {t(`roleMeans.${role}`)}
              </Text>
            </div>
          ))}
        </Stack>
      </Card>
    </Stack>
  );
}
