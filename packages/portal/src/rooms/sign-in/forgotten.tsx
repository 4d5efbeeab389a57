import { Anchor, Code, Collapse, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import classes from './forgotten.module.css';

/** No mail is sent: the operator creates a link. */
export function Forgotten() {
  const { t } = useTranslation('sign-in');
  const [opened, { toggle }] = useDisclosure();
  return (
    <div>
      <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={opened}>
        {t('forgotten')}
      </Anchor>
      <Collapse expanded={opened}>
        <AskOperator />
      </Collapse>
    </div>
  );
}

function AskOperator() {
  const { t } = useTranslation('sign-in');
  return (
    <Stack gap={6} mt="xs">
      <Text size="sm" c="dimmed">
        {t('askOperator')}
      </Text>
      <Code block className={classes.command ?? ''}>
        innkeeper admin create --email you@example.com
      </Code>
      <Text size="sm" c="dimmed">
        {t('askOwner')}
      </Text>
    </Stack>
  );
}
