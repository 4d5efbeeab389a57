import { CheckboxList, RadioList, Select, Switch } from './controls/choices.tsx';
import { DateField, ListField, NumberField, TextField, Unknown } from './controls/fields.tsx';
import type { FieldPartProps, FormPartProps, MessagePartProps, Parts, StatusPartProps } from './parts.ts';

function Form({ title, titleId, lang, dir, className, children }: FormPartProps) {
  return (
    // Everything is saved when it is chosen: there is nothing to send.
    <form
      className={className ? `innkeeper-form ${className}` : 'innkeeper-form'}
      aria-labelledby={title ? titleId : undefined}
      lang={lang}
      dir={dir}
      noValidate
      onSubmit={(event) => event.preventDefault()}
    >
      {title && (
        <h2 className="innkeeper-title" id={titleId}>
          {title}
        </h2>
      )}
      {children}
    </form>
  );
}

function Field({ optionKey, control, grouped, id, hintId, hint, message, status, children }: FieldPartProps) {
  const Whole = grouped ? 'fieldset' : 'div';
  const label = <bdi>{optionKey.label}</bdi>;
  return (
    <Whole className={`innkeeper-field innkeeper-${control.toLowerCase()}-field`}>
      {grouped ? (
        <legend className="innkeeper-label">{label}</legend>
      ) : (
        <label className="innkeeper-label" htmlFor={id}>
          {label}
        </label>
      )}
      {children}
      {hint && (
        <p className="innkeeper-hint" id={hintId}>
          {hint}
        </p>
      )}
      {message}
      {status}
    </Whole>
  );
}

function Message({ id, sentences, texts, retry }: MessagePartProps) {
  return (
    <div className="innkeeper-message" role="alert">
      <span id={id}>{sentences.join(' ')}</span>
      {retry && (
        <button type="button" className="innkeeper-retry" onClick={retry}>
          {texts.tryAgain}
        </button>
      )}
    </div>
  );
}

/** Always there, so that what it says later is read out. */
function Status({ phase, texts }: StatusPartProps) {
  return (
    <span className="innkeeper-status" role="status">
      {phase === 'saving' ? texts.saving : phase === 'saved' ? texts.saved : ''}
    </span>
  );
}

const Loading: Parts['Loading'] = ({ texts }) => (
  <p className="innkeeper-loading" role="status">
    {texts.loading}
  </p>
);

const Empty: Parts['Empty'] = ({ texts }) => <p className="innkeeper-empty">{texts.nothingHere}</p>;

/** What the service said is for whoever made the page; what nobody said is said in the language of the form. */
const Failure: Parts['Failure'] = ({ error, texts, retry }) => (
  <div className="innkeeper-message" role="alert">
    <span>
      {texts.notLoaded} {error.status > 0 && <bdi lang="en">{error.message}</bdi>}
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
