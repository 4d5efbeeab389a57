import { Anchor, Code, Collapse, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { signInMethodsQuery } from '../../api/queries.ts';
import classes from './forgotten.module.css';
import { MailLinkForm } from './mail-link-form.tsx';

/** A link by mail; if mail is off, the operator creates one. */
export function Forgotten({ email = '' }: { email?: string }) {
  const { t } = useTranslation('sign-in');
  const { data: methods } = useQuery(signInMethodsQuery);
  const [opened, { toggle }] = useDisclosure();
  return (
    <div>
      <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={opened}>
        {t(methods?.mail ? 'forgottenMail' : 'forgotten')}
      </Anchor>
      <Collapse expanded={opened}>{methods?.mail ? <MailLinkForm email={email} /> : <AskOperator />}</Collapse>
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
