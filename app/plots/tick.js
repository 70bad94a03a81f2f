// A tick of a linear axis: grouped digits, four decimals at most, and a minus sign as wide as a plus.
return (Number(tick.toFixed(4)) || 0).toLocaleString("en-US", {maximumFractionDigits: 4}).replace("-", "−")
