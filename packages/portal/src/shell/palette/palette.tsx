import { Group, Kbd, Loader, Modal, Text, TextInput, VisuallyHidden } from '@mantine/core';
import {
  IconApps,
  IconArrowRight,
  IconBolt,
  type IconKey,
  IconListDetails,
  IconRoute,
  IconSearch,
  IconUser,
} from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { palette, useOpened } from './open.ts';
import classes from './palette.module.css';
import { SECTIONS, type Section, useCommands } from './use-commands.ts';

const ICONS: Record<Section, typeof IconKey> = {
  rooms: IconArrowRight,
  users: IconUser,
  requests: IconRoute,
  keys: IconListDetails,
  applications: IconApps,
  actions: IconBolt,
};

type Props = { session: { administrator: boolean; signOutUrl: string | null }; clientId: string | undefined };

export function Palette(props: Props) {
  const { t } = useTranslation('palette');
  const close = () => palette.set(false);
  return (
    <Modal.Root
      opened={useOpened(palette)}
      onClose={close}
      size="lg"
      yOffset="10vh"
      classNames={{ content: classes.content ?? '' }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={t('title')}>
        <Finder {...props} onClose={close} />
      </Modal.Content>
    </Modal.Root>
  );
}

/** A field that keeps the focus, and the results below: arrows move the highlight, Enter opens it. */
function Finder({ session, clientId, onClose }: Props & { onClose(): void }) {
  const { t } = useTranslation('palette');
  const [typed, setTyped] = useState('');
  const [marked, setMarked] = useState(0);
  const { sections, isSearching } = useCommands(session, clientId, typed);
  const list = useId();
  const all = SECTIONS.flatMap((section) => sections[section]);
  const index = Math.min(marked, all.length - 1);
  const current = all[index];
  const here = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the highlight moves
  useEffect(() => {
    // It returns a promise in some browsers.
    void here.current?.scrollIntoView({ block: 'nearest' });
  }, [current?.id]);
  const run = (command = current) => {
    if (!command) return;
    onClose();
    void command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const steps: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1 + all.length };
    const step = steps[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) run();
    else setMarked(step % Math.max(all.length, 1));
  };
  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={current && `${list}-${current.id}`}
        aria-autocomplete="list"
        aria-label={t('title')}
        placeholder={clientId === undefined ? t('placeholderOutside') : t('placeholder')}
        size="md"
        variant="unstyled"
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        leftSection={<IconSearch size={18} aria-hidden />}
        rightSection={isSearching && <Loader size="xs" aria-hidden />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setMarked(0);
        }}
        onKeyDown={onKeyDown}
        className={classes.field ?? ''}
      />
      <div id={list} role="listbox" aria-label={t('results')} className={classes.list}>
        {SECTIONS.filter((section) => sections[section].length > 0).map((section) => {
          const Icon = ICONS[section];
          return (
            // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
            <div key={section} role="group" aria-label={t(`section.${section}`)}>
              <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4} aria-hidden>
                {t(`section.${section}`)}
              </Text>
              {sections[section].map((command) => (
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
                <div
                  key={command.id}
                  id={`${list}-${command.id}`}
                  role="option"
                  aria-selected={command === current}
                  ref={command === current ? here : undefined}
                  className={classes.option}
                  onClick={() => run(command)}
                  onMouseMove={() => command !== current && setMarked(all.indexOf(command))}
                >
                  <Icon size={16} stroke={1.7} aria-hidden className={classes.icon} />
                  <Text span size="sm" truncate>
                    {command.label}
                  </Text>
                  {command.hint !== undefined && (
                    <Text span size="xs" c="dimmed" truncate className={classes.hint ?? ''}>
                      {command.hint}
                    </Text>
                  )}
                </div>
              ))}
            </div>
          );
        })}
        {all.length === 0 && !isSearching && (
          // biome-ignore lint/a11y/useFocusableInteractive: nothing to choose
          <div role="option" aria-selected={false} aria-disabled className={classes.none}>
            {t('none', { typed })}
          </div>
        )}
      </div>
      <VisuallyHidden role="status">{typed !== '' && !isSearching && t('found', { count: all.length })}</VisuallyHidden>
      <Group gap="lg" className={classes.foot ?? ''} visibleFrom="xs">
        {(['move', 'go', 'leave'] as const).map((act) => (
          <Text key={act} size="xs" c="dimmed">
            <Kbd size="xs">{{ move: '↑ ↓', go: 'Enter', leave: 'Esc' }[act]}</Kbd> {t(`foot.${act}`)}
          </Text>
        ))}
      </Group>
    </>
  );
}
