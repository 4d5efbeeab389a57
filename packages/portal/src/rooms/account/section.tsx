import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** One topic of the account. */
export function Section(props: { title: string; about?: ReactNode; action?: ReactNode; children?: ReactNode }) {
  const { title, about, action, children } = props;
  const id = useId();
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby={id}>
      <Stack>
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} flex="1 1 260px">
            <Title order={2} size="h4" id={id}>
              {title}
            </Title>
            {about !== undefined && (
              <Text size="sm" c="dimmed" component="div">
                {about}
              </Text>
            )}
          </Stack>
          {action}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}
