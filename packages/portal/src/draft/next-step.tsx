import { notifications } from '@mantine/notifications';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkButton } from '../shell/links.tsx';
import { NotificationText } from '../shell/notify.tsx';

const ROOMS = {
  translate: { to: '/applications/$clientId/translations', search: { missing: 'any' } },
  connect: { to: '/applications/$clientId/connect' },
} as const;
export type Step = keyof typeof ROOMS;

/** Reports the publication, with the next step if there is one: that stays until the user moves on. */
export function notifyPublished(published: { clientId: string; message: string; step: Step | undefined }): void {
  const { clientId, message, step } = published;
  const id = notifications.show({
    color: 'green',
    title: message,
    message: step && <NextStep clientId={clientId} step={step} onLeave={() => notifications.hide(id)} />,
    ...(step && { autoClose: false }),
  });
}

function NextStep({ clientId, step, onLeave }: { clientId: string; step: Step; onLeave(): void }) {
  const { t } = useTranslation('catalog');
  const { pathname } = useLocation();
  const publishedAt = useRef(pathname);
  useEffect(() => {
    if (pathname !== publishedAt.current) onLeave();
  }, [pathname, onLeave]);
  const act = (
    <LinkButton {...ROOMS[step]} params={{ clientId }} size="compact-sm" flex="none">
      {t(`publish.next.${step}Link`)}
    </LinkButton>
  );
  return <NotificationText act={act}>{t(`publish.next.${step}`)}</NotificationText>;
}
