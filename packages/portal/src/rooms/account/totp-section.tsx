import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Needs } from './own-proof.tsx';
import { Section } from './section.tsx';
import { TotpEnd } from './totp-end.tsx';
import { TotpEnrol } from './totp-enrol.tsx';
import { TotpRenew } from './totp-renew.tsx';

type Session = Needs & { recoveryCodes: number };

export function TotpSection({ session }: { session: Session }) {
  const { totp, recoveryCodes } = session;
  const { t } = useTranslation('account');
  const [open, setOpen] = useState<'enrol' | 'renew' | 'end'>();
  const close = () => setOpen(undefined);
  return (
    <Section
      title={t('totp')}
      about={t('totpAbout')}
      action={
        <Badge color={totp ? 'green' : 'gray'} variant="light" size="lg" tt="none">
          {t(totp ? 'totpOn' : 'totpOff')}
        </Badge>
      }
    >
      {totp ? (
        <>
          <Text size="sm" {...(recoveryCodes < 3 && { c: 'red', fw: 600 })}>
            {t('recoveryLeft', { count: recoveryCodes })}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={() => setOpen('renew')}>
              {t('renewCodes')}
            </Button>
            <Button variant="light" color="red" onClick={() => setOpen('end')}>
              {t('turnOff')}
            </Button>
          </Group>
        </>
      ) : (
        <Group>
          <Button variant="default" onClick={() => setOpen('enrol')}>
            {t('turnOn')}
          </Button>
        </Group>
      )}
      <TotpEnrol opened={open === 'enrol'} onClose={close} needs={session} />
      <TotpRenew opened={open === 'renew'} onClose={close} needs={session} />
      <TotpEnd opened={open === 'end'} onClose={close} needs={session} />
    </Section>
  );
}
