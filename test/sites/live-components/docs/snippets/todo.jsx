export const Todo = ({ items }) => {
  const [list, setList] = useState(() => items.map((text, id) => ({ id, text, isDone: false })));
  const [draft, setDraft] = useState("");
  const add = (event) => {
    event.preventDefault();
    if (draft === "") return;
    setList([...list, { id: list.length, text: draft, isDone: false }]);
    setDraft("");
  };
  let open = 0;
  for (const item of list) {
    if (item.isDone) continue;
    open += 1;
  }
  return (
    <form id="todo" onSubmit={add}>
      <ol>
        {list.map((item) => (
          <li key={item.id} style={{ textDecoration: item.isDone ? "line-through" : "none" }}>
            <button
              type="button"
              onClick={() =>
                setList(list.map((one) => (one === item ? { ...one, isDone: !one.isDone } : one)))
              }
            >
              {item.text}
            </button>
          </li>
        ))}
      </ol>
      <input aria-label="New" value={draft} onChange={(event) => setDraft(event.target.value)} />
      <button type="submit">Add</button>
      <span>{open} open</span>
    </form>
  );
};
