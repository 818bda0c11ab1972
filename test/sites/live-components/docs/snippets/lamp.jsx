const LampContext = createContext({ isLit: false, turn: () => {} });

export const LampProvider = ({ children }) => {
  const [isLit, setLit] = useState(true);
  return (
    <LampContext.Provider value={{ isLit, turn: () => setLit(!isLit) }}>
      <div className="lamps">{children}</div>
    </LampContext.Provider>
  );
};

export const Lamp = ({ name = "alone" }) => {
  const { isLit, turn } = useContext(LampContext);
  return (
    <button className={`lamp ${name}`} onClick={turn}>
      {name} {isLit ? "lit" : "dark"}
    </button>
  );
};
