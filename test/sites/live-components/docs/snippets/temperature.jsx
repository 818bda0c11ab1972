const toFahrenheit = (celsius) => (celsius * 9) / 5 + 32;

export function Temperature({ celsius }) {
  const [value, setValue] = useState(celsius);
  const change = useCallback((event) => setValue(Number(event.target.value)), []);
  return (
    <div id="temperature">
      <input aria-label="Celsius" type="number" value={value} onChange={change} />
      <span style={{ color: value > 30 ? "rgb(200, 0, 0)" : "rgb(0, 0, 200)", fontWeight: 600 }}>
        {toFahrenheit(value).toFixed(1)} °F
      </span>
    </div>
  );
}
