export const Pot = () => <b>Pot</b>;
