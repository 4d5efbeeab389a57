import { CheckboxList, RadioList, Select, Switch } from './controls/choices.tsx';
import { DateField, ListField, NumberField, TextField, Unknown } from './controls/fields.tsx';
import { attributesOf } from './language.ts';
import type { FieldPartProps, FormPartProps, MessagePartProps, Parts, StatusPartProps } from './parts.ts';

function Form({ title, titleId, as: Whole, lang, dir, className, texts, submit, isDirty, children }: FormPartProps) {
  const name = className ? `innkeeper-form ${className}` : 'innkeeper-form';
  const isForm = Whole === 'form';
  return (
    <Whole
      className={name}
      // A form has an implicit role.
      role={isForm ? undefined : 'group'}
      aria-labelledby={title ? titleId : undefined}
      lang={lang}
      dir={dir}
      {...(isForm && {
        noValidate: true,
        onSubmit: (event: { preventDefault(): void }) => {
          event.preventDefault();
          submit?.();
        },
      })}
    >
      {title && (
        <h2 className="innkeeper-title" id={titleId}>
          {title}
        </h2>
      )}
      {children}
      {submit && (
        <button
          className="innkeeper-save"
          type={isForm ? 'submit' : 'button'}
          disabled={!isDirty}
          onClick={isForm ? undefined : submit}
        >
          {texts.save}
        </button>
      )}
    </Whole>
  );
}

function Field({
  optionKey,
  control,
  grouped,
  id,
  hintId,
  hint,
  invalid,
  lang,
  source,
  texts,
  reset,
  message,
  status,
  children,
}: FieldPartProps) {
  const Whole = grouped ? 'fieldset' : 'div';
  const { label, label_language, default_value } = optionKey;
  const isRadio = control === 'RadioList';
  // The label may be in another language, if it has no text in the form's own.
  const own = attributesOf(label_language ?? undefined).lang;
  const name = (
    <bdi id={`${id}-name`} lang={own === lang ? undefined : own}>
      {label}
    </bdi>
  );
  return (
    <Whole
      className={`innkeeper-field innkeeper-${control.toLowerCase()}-field`}
      data-source={source}
      role={isRadio ? 'radiogroup' : undefined}
      aria-invalid={(isRadio && invalid) || undefined}
    >
      {grouped ? (
        <legend className="innkeeper-label">{name}</legend>
      ) : (
        <label className="innkeeper-label" htmlFor={id}>
          {name}
        </label>
      )}
      {children}
      {hint && (
        <p className="innkeeper-hint" id={hintId}>
          {hint}
        </p>
      )}
      <div className="innkeeper-note">
        {message}
        {status}
        {reset && (
          <button type="button" className="innkeeper-reset" aria-describedby={`${id}-name`} onClick={reset}>
            {default_value === null ? texts.clear : texts.reset}
          </button>
        )}
      </div>
    </Whole>
  );
}

function Message({ id, sentence, texts, retry }: MessagePartProps) {
  return (
    <span className="innkeeper-message" role="alert">
      <span id={id}>{sentence}</span>
      {retry && (
        <button type="button" className="innkeeper-retry" onClick={retry}>
          {texts.tryAgain}
        </button>
      )}
    </span>
  );
}

/** Always rendered, so that screen readers announce later changes. */
function Status({ phase, source, texts }: StatusPartProps) {
  const atRest = source === 'default' ? texts.isDefault : source === 'unset' ? texts.notSet : '';
  const said = { rest: atRest, saving: texts.saving, saved: source === 'chosen' ? texts.saved : atRest, failed: '' };
  return (
    <span className="innkeeper-status" role="status">
      {said[phase]}
    </span>
  );
}

const Loading: Parts['Loading'] = ({ texts }) => (
  <p className="innkeeper-loading" role="status">
    {texts.loading}
  </p>
);

const Empty: Parts['Empty'] = ({ texts }) => <p className="innkeeper-empty">{texts.nothingHere}</p>;

/** The code is for the developer of the page. */
const Failure: Parts['Failure'] = ({ error, texts, retry }) => (
  <div className="innkeeper-message" role="alert">
    <span>
      {texts.notLoaded} {error.status > 0 && <bdi>({error.code})</bdi>}
    </span>
    <button type="button" className="innkeeper-retry" onClick={retry}>
      {texts.tryAgain}
    </button>
  </div>
);

export const DEFAULT_PARTS: Parts = {
  Form,
  Field,
  Message,
  Status,
  Loading,
  Empty,
  Failure,
  Switch,
  RadioList,
  Select,
  CheckboxList,
  NumberField,
  DateField,
  TextField,
  ListField,
  Unknown,
};
