import { useState } from "react";

const labels = ["One label", "Two label"];

export const Counter = ({ start = 3, title, children }) => {
  const [count, setCount] = useState(start);
  return (
    <section>
      <h4>{title}</h4>
      <button onClick={() => setCount(count + 1)}>Press the button</button>
      <ul>
        {labels.map((label) => (
          <li key={label}>{label}</li>
        ))}
      </ul>
      {count > 100 ? <b>Too many</b> : <i>Few enough</i>}
      {children}
      <p>
        Paragraph of the component, {"with a string"}.
      </p>
    </section>
  );
};

export default function Main() {
  return <p>Default words</p>;
}
