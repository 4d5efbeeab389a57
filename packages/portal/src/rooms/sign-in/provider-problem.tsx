import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { PROBLEMS, type ProviderProblemName } from './problem-names.ts';

/** Why someone is back from the OpenID provider without being signed in. */
export function ProviderProblem({ problem }: { problem: ProviderProblemName }) {
  const { t } = useTranslation('sign-in');
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} role="alert">
      {t(`problem.${PROBLEMS[problem]}`)}
    </Alert>
  );
}
