import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** The heading of a page, and the title of its tab. */
export function PageHeader(props: { title: string; description?: ReactNode; actions?: ReactNode }) {
  const { title, description, actions } = props;
  useEffect(() => {
    document.title = `${title} · Innkeeper`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="md">
      <Stack gap={4} maw={720}>
        <Title order={1} size="h2" tabIndex={-1} data-heading>
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" component="div">
            {description}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}

/** For actions that remove the focused element. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('[data-heading]')?.focus({ preventScroll: true });
}
