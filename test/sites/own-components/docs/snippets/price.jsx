"use client";
import { clsx } from "clsx";

const symbols = { USD: "$", EUR: "€" };

/** A price, or that there is none. */
export const Price = ({ amount, currency = "USD" }) => {
  const symbol = symbols[currency] || currency;
  return amount > 0 ? <b>{`${symbol}${amount}`}</b> : <i>free</i>;
};

export default function Banner({ children, tone }) {
  return (
    <>
      <div className={"banner " + tone} onClick={() => alert(tone)}>
        {children}
      </div>
      {tone === "loud" && <hr />}
    </>
  );
}
