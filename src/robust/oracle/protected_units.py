"""Units and currencies by their names and signs."""

from __future__ import annotations

from typing import Final

# What a unit is called by, with the units that it may stand for; where case tells units apart, case counts.
_UNITS: Final = """
%: % percent pct
‰: ‰ permille
pp: pp
bp: bp bps
USD: $ USD US$ dollar dollars buck bucks
EUR: € EUR euro euros
GBP: £ GBP pound pounds quid
JPY: ¥ JPY yen
CNY: ¥ CNY RMB yuan
INR: ₹ INR rupee rupees Rs
RUB: ₽ RUB ruble rubles rouble roubles
KRW: ₩ KRW
TRY: ₺ TRY lira
UAH: ₴ UAH hryvnia
ILS: ₪ ILS shekel shekels
BTC: ₿ BTC bitcoin bitcoins
CHF: CHF franc francs
SEK: SEK kr krona kronor
NOK: NOK kr krone kroner
DKK: DKK kr krone kroner
PLN: PLN zł
AUD: AUD A$ dollar dollars $
CAD: CAD C$ dollar dollars $
MXN: MXN peso pesos $
cent: ¢ cent cents
penny: penny pence p
nm: nm nanometre nanometres nanometer nanometers
um: um µm μm micron microns micrometre micrometres micrometer micrometers
mm: mm millimetre millimetres millimeter millimeters
cm: cm centimetre centimetres centimeter centimeters
m: m metre metres meter meters
km: km kilometre kilometres kilometer kilometers
in: ″ inch inches
ft: ft ′ foot feet
yd: yd yard yards
mi: mi mile miles
ug: ug µg μg mcg microgram micrograms
mg: mg milligram milligrams milligramme milligrammes
g: g gram grams gramme grammes
kg: kg kilogram kilograms kilogramme kilogrammes kilo kilos
t: t tonne tonnes ton tons
oz: oz ounce ounces
lb: lb lbs pound pounds
ul: ul µl μl µL μL microlitre microlitres microliter microliters
ml: ml mL millilitre millilitres milliliter milliliters
cl: cl cL centilitre centilitres
dl: dl dL decilitre decilitres deciliter deciliters
l: l L litre litres liter liters
gal: gal gallon gallons
pt: pt pint pints
ns: ns nanosecond nanoseconds
us: µs μs microsecond microseconds
ms: ms millisecond milliseconds
s: s sec secs second seconds
min: min mins Min MIN minute minutes
h: h hr hrs hour hours
d: d day days
week: week weeks wk wks
month: month months
year: year years yr yrs
decade: decade decades
century: century centuries
o'clock: o'clock o’clock Uhr
mHz: mHz
Hz: Hz hertz
kHz: kHz kilohertz
MHz: MHz megahertz
GHz: GHz gigahertz
mW: mW milliwatt milliwatts
W: W watt watts
kW: kW kilowatt kilowatts
MW: MW megawatt megawatts
GW: GW gigawatt gigawatts
kWh: kWh
MWh: MWh
Wh: Wh
mV: mV millivolt millivolts
V: V volt volts
kV: kV kilovolt kilovolts
mA: mA milliampere milliamperes milliamp milliamps
A: A ampere amperes amp amps
mAh: mAh
J: J joule joules
kJ: kJ kilojoule kilojoules
cal: cal calorie calories
kcal: kcal kilocalorie kilocalories
N: N newton newtons
Pa: Pa pascal pascals
hPa: hPa
kPa: kPa
MPa: MPa
mPa: mPa
bar: bar bars
mbar: mbar
psi: psi
dB: dB decibel decibels
mol: mol mole moles
mmol: mmol
umol: µmol μmol
ppm: ppm
ppb: ppb
bit: bit bits
kb: kb kbit kilobit kilobits
Mb: Mb Mbit megabit megabits
Gb: Gb Gbit gigabit gigabits
byte: byte bytes B
kB: kB KB kilobyte kilobytes
MB: MB megabyte megabytes
GB: GB gigabyte gigabytes
TB: TB terabyte terabytes
KiB: KiB
MiB: MiB
GiB: GiB
Mbps: Mbps Mbit/s Mb/s
MBps: MBps MB/s
km/h: km/h kmh kph
mph: mph MPH
m/s: m/s
m2: m² m2 sqm
m3: m³ m3
km2: km² km2
ha: ha hectare hectares
acre: acre acres
degree: ° deg degree degrees
C: °C ℃ celsius
F: °F ℉ fahrenheit
K: K kelvin kelvins
times: times x × fold
"""


def _names() -> dict[str, tuple[str, ...]]:
    """The units that each name may stand for, the likeliest first."""
    found: dict[str, dict[str, None]] = {}
    by_letters: dict[str, dict[str, None]] = {}
    for line in _UNITS.split("\n")[1:-1]:
        unit, names = line.split(": ")
        for name in names.split():
            found.setdefault(name, {})[unit] = None
            by_letters.setdefault(name.casefold(), {})[unit] = None
    # Capitals make no difference in words, nor in signs that no prefix of the SI makes another unit of: mg, Mg.
    for letters, units in by_letters.items():
        if len(letters) > len("mbar") or (len(letters) > 1 and len(units) == 1 and letters[0] != "m"):
            for name in (letters, letters.capitalize(), letters.upper()):
                found.setdefault(name, units)
    return {name: tuple(units) for name, units in found.items()}


UNIT_NAMES: Final = _names()
# The names as they are listed: with other capitals many a sign is that of another unit, as nm and Nm.
EXACT_NAMES: Final = frozenset(name for line in _UNITS.split("\n")[1:-1] for name in line.split(": ")[1].split())
_MONEY: Final = frozenset(
    ("USD", "EUR", "GBP", "JPY", "CNY", "INR", "RUB", "KRW", "TRY", "UAH", "ILS", "BTC", "CHF", "SEK", "NOK", "DKK")
) | {"PLN", "AUD", "CAD", "MXN"}
# Names of currencies that may stand before an amount.
CURRENCIES: Final = frozenset(
    name
    for name, units in UNIT_NAMES.items()
    if _MONEY.issuperset(units) and not name.islower() and len(name) <= len("MXN")
)
