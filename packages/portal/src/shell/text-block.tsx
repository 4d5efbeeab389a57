import { Code, Group, Text, Title } from '@mantine/core';
import { Copy } from './copy.tsx';
import classes from './text-block.module.css';

type Props = { title: string; text: string | null; empty?: string; copyLabel?: string };

/** A body or payload as sent, for reading and copying. */
export function TextBlock({ title, text, empty, copyLabel }: Props) {
  return (
    <section>
      <Group justify="space-between">
        <Title order={3} size="h6">
          {title}
        </Title>
        {text !== null && <Copy value={text} {...(copyLabel !== undefined && { label: copyLabel })} />}
      </Group>
      {text === null ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        // Scrollable content must be reachable by keyboard.
        <Code block className={classes.body ?? ''} tabIndex={0} role="region" aria-label={title}>
          {inLines(text)}
        </Code>
      )}
    </section>
  );
}

/** Indented if it is complete JSON. */
function inLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
