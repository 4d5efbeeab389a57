import { notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';
import { LinkButton } from '../shell/links.tsx';
import { Told } from '../shell/told.tsx';

const ROOMS = {
  translate: { to: '/applications/$clientId/translations', search: { missing: 'any' } },
  connect: { to: '/applications/$clientId/connect' },
} as const;
export type Step = keyof typeof ROOMS;

/** Long enough to be read and followed. */
const SHOWN = 15_000;

/** That it is published, and what comes next if something does. */
export function tellPublished(told: { clientId: string; message: string; step: Step | undefined }): void {
  const { clientId, message, step } = told;
  const id = notifications.show({
    color: 'green',
    title: message,
    message: step && <NextStep clientId={clientId} step={step} onFollow={() => notifications.hide(id)} />,
    ...(step && { autoClose: SHOWN }),
  });
}

function NextStep({ clientId, step, onFollow }: { clientId: string; step: Step; onFollow(): void }) {
  const { t } = useTranslation('catalog');
  const act = (
    <LinkButton {...ROOMS[step]} params={{ clientId }} size="compact-sm" flex="none" onClick={onFollow}>
      {t(`publish.next.${step}Link`)}
    </LinkButton>
  );
  return <Told act={act}>{t(`publish.next.${step}`)}</Told>;
}
