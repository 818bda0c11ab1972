import { useState } from "react";

export function useToggle(first) {
  const [value, setValue] = useState(first);
  return [value, () => setValue((now) => !now)];
}

export const Toggle = ({ label, children }) => {
  const [isOpen, flip] = useToggle(false);
  return (
    <section id="toggle" className="rounded-xl p-4">
      <button type="button" aria-expanded={isOpen} onClick={flip}>
        {label}
      </button>
      {isOpen && <div className="content">{children}</div>}
    </section>
  );
};
