import React, { forwardRef, useImperativeHandle, useRef } from "react";

const Field = forwardRef((props, ref) => {
  const input = useRef(null);
  useImperativeHandle(ref, () => ({ focus: () => input.current.focus() }));
  return <input ref={input} {...props} />;
});

export default function Reader() {
  const field = React.useRef(null);
  const id = React.useId();
  return (
    <div id="reader">
      <label htmlFor={id}>Name</label>
      <Field ref={field} id={id} placeholder="Your name" defaultValue="Ada" />
      <button onClick={() => field.current.focus()}>Go to the field</button>
    </div>
  );
}
