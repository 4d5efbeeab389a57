import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './grid.module.css';
import { directionOf, type Language } from './text-row.ts';

/** How an editor was left: where to go from there. */
export type Leave = 'down' | 'up' | 'right' | 'left' | 'stay';

/** A text being typed. Enter and Tab save it, Escape does not, Shift or Alt with Enter starts a new line. */
export function CellEditor(props: {
  text: string;
  label: string;
  language: Language;
  onType: (text: string) => void;
  onSave: (text: string, leave: Leave) => void;
  onCancel: () => void;
}) {
  const { text, label, language, onType, onSave, onCancel } = props;
  const { t } = useTranslation('translations');
  const area = useRef<HTMLTextAreaElement>(null);
  // Ends only once: leaving it by keyboard also blurs it.
  const ended = useRef(false);

  useLayoutEffect(() => {
    const element = area.current as HTMLTextAreaElement;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
    grow(element);
  }, []);

  const save = (leave: Leave) => {
    if (ended.current) return;
    ended.current = true;
    onSave((area.current as HTMLTextAreaElement).value, leave);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    event.stopPropagation();
    // Leave unfinished input to the input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      ended.current = true;
      onCancel();
    } else if (event.key === 'Enter' && event.altKey) {
      event.preventDefault();
      event.currentTarget.setRangeText(
        '\n',
        event.currentTarget.selectionStart,
        event.currentTarget.selectionEnd,
        'end',
      );
      onType(event.currentTarget.value);
      grow(event.currentTarget);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      save(event.ctrlKey || event.metaKey ? 'stay' : 'down');
    } else if (event.key === 'Tab') {
      event.preventDefault();
      save(event.shiftKey ? 'left' : 'right');
    }
  };

  return (
    <textarea
      ref={area}
      className={classes.editor}
      defaultValue={text}
      aria-label={t('grid.editing', { label, language: language.name })}
      lang={language.tag}
      dir={text === '' ? directionOf(language.tag) : 'auto'}
      rows={1}
      spellCheck
      onKeyDown={onKeyDown}
      onInput={(event) => {
        onType(event.currentTarget.value);
        grow(event.currentTarget);
      }}
      onBlur={() => save('stay')}
      onMouseDown={(event) => event.stopPropagation()}
      onCopy={(event) => event.stopPropagation()}
      onCut={(event) => event.stopPropagation()}
      onPaste={(event) => event.stopPropagation()}
    />
  );
}

/** Most browsers do this natively, without a second render. */
const GROWS_ITSELF = CSS.supports('field-sizing', 'content');

function grow(element: HTMLTextAreaElement): void {
  if (GROWS_ITSELF) return;
  element.style.height = 'auto';
  element.style.height = `${element.scrollHeight + 4}px`;
}
