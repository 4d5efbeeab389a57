import { ActionIcon, Button, Menu, ScrollArea } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { exportAddress } from './queries.ts';
import type { Language } from './text-row.ts';

/** Files for translators: the browser downloads them itself. */
export const ExportMenu = memo(function ExportMenu(props: {
  clientId: string;
  languages: readonly Language[];
  shown: readonly Language[];
  isPhone: boolean;
}) {
  const { clientId, languages, shown, isPhone } = props;
  const { t } = useTranslation('translations');
  const tags = shown.map(({ tag }) => tag).join(',');
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        {isPhone ? (
          <ActionIcon variant="default" size={36} aria-label={t('toolbar.export')}>
            <IconDownload size={18} aria-hidden />
          </ActionIcon>
        ) : (
          <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
            {t('toolbar.export')}
          </Button>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('export.csv')}</Menu.Label>
        <Menu.Item component="a" href={exportAddress(clientId, { format: 'csv' })} download>
          {t('export.all')}
        </Menu.Item>
        {shown.length < languages.length && (
          <Menu.Item component="a" href={exportAddress(clientId, { format: 'csv', language: tags })} download>
            {t('export.shown')}
          </Menu.Item>
        )}
        <Menu.Label>{t('export.xliff')}</Menu.Label>
        <ScrollArea.Autosize mah={280} type="auto">
          {languages
            .filter(({ isDefault }) => !isDefault)
            .map(({ tag, name }) => (
              <Menu.Item
                key={tag}
                component="a"
                href={exportAddress(clientId, { format: 'xliff', language: tag })}
                download
              >
                <bdi>{name}</bdi> ({tag})
              </Menu.Item>
            ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
});
