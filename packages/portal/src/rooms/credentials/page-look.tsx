import '@mantine/core/styles/ColorPicker.css';
import '@mantine/core/styles/ColorInput.css';
import '@mantine/core/styles/Image.css';
import { Box, Button, ColorInput, FileButton, Group, Image, Input, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import type { Settings } from './settings.ts';

const TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const MAX_BYTES = 16_384;

type FieldProps = {
  shown: Settings;
  mayChange: boolean;
  problem: string | undefined;
  set(change: Partial<Settings>): void;
};

export function AccentColorField({ shown, mayChange, problem, set }: FieldProps) {
  const { t } = useTranslation('credentials');
  return (
    <ColorInput
      label={t('settings.accentColor.label')}
      description={t('settings.accentColor.text')}
      placeholder="#1f5fbf"
      format="hex"
      value={shown.accentColor}
      disabled={!mayChange}
      error={problem}
      eyeDropperButtonProps={{ 'aria-label': t('settings.accentColor.pick') }}
      onChange={(accentColor) => set({ accentColor: accentColor.trim().toLowerCase() })}
    />
  );
}

export function LogoField({ shown, mayChange, problem, set }: FieldProps) {
  const { t } = useTranslation('credentials');
  const [isRefused, setRefused] = useState(false);
  const resetFile = useRef<() => void>(null);
  const read = async (file: File | null) => {
    if (!file) return;
    // The same file can be chosen again.
    resetFile.current?.();
    const isFit = TYPES.includes(file.type) && file.size <= MAX_BYTES;
    setRefused(!isFit);
    if (isFit) set({ logo: await toDataUrl(file) });
  };
  return (
    <Input.Wrapper
      label={t('settings.logo.label')}
      description={t('settings.logo.text')}
      error={isRefused ? t('settings.logo.refused') : problem}
      labelElement="div"
    >
      <Group mt="xs">
        {shown.logo !== '' && (
          <Image src={shown.logo} alt={t('settings.logo.current')} h={40} w="auto" maw={192} fit="contain" />
        )}
        <FileButton resetRef={resetFile} accept={TYPES.join(',')} onChange={(file) => void read(file)}>
          {(button) => (
            <Button
              {...button}
              variant="default"
              disabled={!mayChange}
              leftSection={<IconUpload size={16} aria-hidden />}
            >
              {t('settings.logo.choose')}
            </Button>
          )}
        </FileButton>
        {shown.logo !== '' && mayChange && (
          <Button variant="subtle" color="gray" onClick={() => set({ logo: '' })}>
            {t('settings.logo.remove')}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** The page's default for applications that set none. */
const USUAL = '#1f5fbf';

/** The top of the preference page and its button, in the colours that the service would use. */
export function PagePreview({ clientId, name, shown }: { clientId: string; name: string; shown: Settings }) {
  const { t } = useTranslation('credentials');
  const accentColor = /^#[0-9a-f]{6}$/.test(shown.accentColor) ? shown.accentColor : USUAL;
  const { data } = useQuery({
    queryKey: ['application', clientId, 'page-colors', accentColor],
    queryFn: async () => {
      const path = '/manage/v1/applications/{clientId}/preference-page-colors';
      return (await api.get(path, { path: { clientId }, query: { accentColor } })).data;
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data) return null;
  return (
    <Stack gap="xs" role="group" aria-label={t('look.preview')}>
      <Text size="sm" fw={500}>
        {t('look.preview')}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {[data.light, data.dark].map(({ accent, onAccent, background }, index) => (
          <Box
            key={background}
            p="md"
            bg={background}
            c={index === 0 ? '#16191d' : '#e9ebee'}
            bd="1px solid var(--mantine-color-default-border)"
            style={{ borderRadius: 'var(--mantine-radius-md)' }}
          >
            <Group gap="xs" mb="sm" wrap="nowrap">
              {shown.logo !== '' && <Image src={shown.logo} alt="" h={32} w="auto" maw={140} fit="contain" />}
              <Text fw={600} truncate>
                {name}
              </Text>
            </Group>
            <Group>
              <Text span size="sm" c={accent} td="underline">
                {t('look.link')}
              </Text>
              <Box component="span" px="lg" py={6} bg={accent} c={onAccent} fw={600} style={{ borderRadius: 8 }}>
                {t('save', { ns: 'shell' })}
              </Box>
            </Group>
          </Box>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
