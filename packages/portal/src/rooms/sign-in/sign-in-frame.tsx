import { Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** The frame of all pages before sign-in. */
export function SignInFrame({ title, about, children }: { title: string; about?: ReactNode; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Innkeeper`;
  }, [title]);
  return (
    <Center mih="100dvh" p="md" component="main">
      <Card withBorder w="100%" maw={440} padding="xl" shadow="sm">
        <Stack>
          <Group gap={8}>
            <img src="./icon.svg" alt="" width={28} height={28} />
            <Text fw={700}>Innkeeper</Text>
          </Group>
          <Stack gap={4}>
            <Title order={1} size="h3">
              {title}
            </Title>
            {about !== undefined && (
              <Text c="dimmed" component="div">
                {about}
              </Text>
            )}
          </Stack>
          {children}
        </Stack>
      </Card>
    </Center>
  );
}
